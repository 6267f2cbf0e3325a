"""Hooks as a person sees and changes them: what is there, planned changes, undo, samples. No screen and no prompts."""
