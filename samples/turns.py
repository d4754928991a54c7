"""What the clients of the samples ask; each function gets `run` (client, cases = run_cases.py, png(name) -> bytes)."""

import base64
import json
import threading
import time
import urllib.request
from typing import Any


def texts(run: Any) -> None:
    for i in range(4):
        run.client.completion(f"story {i}: " + run.cases.words(12), 48)
    run.client.chat("tell me about the harbour", 40)


def three_texts(run: Any) -> None:
    run.cases.few_completions(run)


def text_image_text(run: Any) -> None:
    run.cases.image_then_text(run)


def images_between_texts(run: Any) -> None:
    """Four rounds of a text turn and an image turn; no turn continues another."""
    for i in range(4):
        run.client.chat(f"part {i} of a tale: " + run.cases.words(8), 48)
        picture = run.png("wide.png" if i % 2 else "photo.png")
        run.client.image(picture, text=f"what is in picture {i}", first="look", n=32)


def many_retries(run: Any) -> None:
    """A client that does not give up: eight times the same image, and a text turn now and then."""
    for i in range(8):
        run.client.image(run.png(), first="look at this")
        if i % 4 == 3:
            run.client.chat(f"text turn {i}", 16)


def conversation(run: Any) -> None:
    """One chat of four turns that carries its image along, after a text chat."""
    run.client.chat("first, a text-only turn", 16)
    run.cases.conversation(run)


def image_beside_text(run: Any) -> None:
    """An image in one slot while a long text runs in the other."""
    job = threading.Thread(target=run.client.completion, args=("a long story", 600))
    job.start()
    time.sleep(0.15)
    run.client.image(run.png(), first="look at this")
    job.join()
    run.client.chat("text after it", 16)


def two_adjacent_images(run: Any) -> None:
    url = "data:image/png;base64," + base64.b64encode(run.png()).decode()
    part = {"type": "image_url", "image_url": {"url": url}}
    run.client.chat("first, a text-only turn", 16)
    before, after = ({"type": "text", "text": text} for text in ("look at this", "compare them"))
    run.client.chat([before, part, part, after], 32)
    run.client.chat("and a text-only turn after it", 16)


def image_opens_chat(run: Any) -> None:
    """The first request of the server is a chat that begins with the image; two text chats follow."""
    run.client.image(run.png())
    run.client.chat("a text-only turn", 16)
    run.client.chat("one more of them", 16)


def image_ends_prompt(run: Any) -> None:
    """A raw completion whose prompt ends with the image, after a text chat."""
    run.client.chat("first, a text-only turn", 16)
    with urllib.request.urlopen(run.client.base + "/props", timeout=10) as answer:
        marker = json.load(answer)["media_marker"]
    picture = base64.b64encode(run.png()).decode()
    run.client.completion({"prompt_string": "look at this " + marker, "multimodal_data": [picture]}, 16)


def routed(run: Any) -> None:
    """As text_image_text, through a router to the model that it calls `step`."""
    url = "data:image/png;base64," + base64.b64encode(run.png()).decode()
    picture = {"type": "image_url", "image_url": {"url": url}}
    before, after = ({"type": "text", "text": text} for text in ("look at this", "what is in this picture"))
    run.client.chat("first, a text-only turn", 16, model="step")
    run.client.chat([before, picture, after], 32, model="step")
    run.client.chat("and a text-only turn after it", 16, model="step")
