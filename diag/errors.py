"""The errors a user can cause; everything else is a bug and shows its traceback."""


class DiagError(Exception):
    """An error whose message is one line for the user; the command line prints it and exits with 2."""


class InputError(DiagError):
    """The input cannot be read: missing, a directory, a model file, a broken archive, too large when unpacked."""


class CatalogError(DiagError):
    """Files of the catalogue are wrong; the message has one `file: key - reason` a line."""
