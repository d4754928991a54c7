"""What a person types -> the signature or the upstream item that is meant, and what belongs together."""
