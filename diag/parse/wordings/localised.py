"""What shells of other languages say of a process that a signal ended: the C library's own names of signals."""

from diag.model.events.crash import SignalReported
from diag.parse.wording import Wording as W

# signal, name as glibc's message catalogues have it, language
_NAMES = (
    ("SIGSEGV", "Speicherzugriffsfehler", "German"),
    ("SIGSEGV", "Erreur de segmentation", "French"),
    ("SIGSEGV", "Violación de segmento", "Spanish"),
    ("SIGSEGV", "Ошибка сегментирования", "Russian"),
    ("SIGSEGV", "Falha de segmentação", "Portuguese"),
    ("SIGSEGV", "Errore di segmentazione", "Italian"),
    ("SIGSEGV", "段错误", "Chinese"),
    ("SIGSEGV", "セグメンテーション違反", "Japanese"),
    ("SIGKILL", "Getötet", "German"),
    ("SIGKILL", "已杀死", "Chinese"),
    ("SIGKILL", "Убито", "Russian"),
    ("SIGILL", "Ungültiger Maschinenbefehl", "German"),
    ("SIGILL", "Instruction non permise", "French"),
    ("SIGILL", "非法指令", "Chinese"),
)

WORDINGS = tuple(
    # alone on its line, behind the shell's own words, or before what the shell adds in brackets
    W(
        SignalReported,
        name,
        rf"(?:^\s*|: line \d+: +\d+ |: Zeile \d+: +\d+ |^\[\d+\][+-]? +(?:\d+ +)?|: ){name}\s*(?:[(（].{{0,40}})?(?:\s.{{0,300}})?$",
        f"shells, {language}",
        name,
        constants={"signal": signal},
        raw=True,
    )
    for signal, name, language in _NAMES
)
