"""Python interfaces of tc. Each module stands alone and needs no build step."""
