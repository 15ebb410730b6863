"""How dates and times are written where a template names no format of its own."""
