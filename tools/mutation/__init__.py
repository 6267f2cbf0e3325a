"""Mutation of anyhook's own modules: would a test notice a change of a guard?"""
