"""A question about lines is asked once for all that differ in digits alone."""

from diag.model.alike import alike


def test_lines_that_differ_in_digits_are_asked_about_once() -> None:
    asked: list[str] = []

    def long(text: str) -> bool:
        asked.append(text)
        return len(text) > 10

    answer = alike(long)
    texts = ["task 17 done", "task 42 done", "task 1 done", "\ud800 1", "\ud800 2"]
    assert [answer(text) for text in texts] == [True, True, True, False, False]
    assert asked == ["task 17 done", "task 1 done", "\ud800 1"]


def test_what_is_remembered_stays_small() -> None:
    asked: list[str] = []

    def same(text: str) -> str:
        asked.append(text)
        return text

    answer = alike(same)
    body = "x" * 10_000
    kinds = [f"kind {'a' * (number % 300)}{'b' * (number // 300)}" for number in range(2000)]
    for text in (*kinds, body, *kinds, body):
        assert answer(text) == text
    assert asked[:2000] == kinds
    assert asked[2000:] == [body, *kinds[1000:], body]
