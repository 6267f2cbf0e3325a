"""How each kind of action is carried out: every kind to a raw result, which `interpret` then reads."""
