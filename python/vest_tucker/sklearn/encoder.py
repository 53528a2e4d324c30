"""stub."""
class VestEncoder: pass
