"""Events to a Run: sessions and what each of them tells."""
