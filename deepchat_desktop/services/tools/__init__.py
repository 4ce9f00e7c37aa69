"""The tools an agent can call, one file each, behind one router."""
