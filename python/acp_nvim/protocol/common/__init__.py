"""What means the same in every version of ACP. The versions use it; it knows none of them."""
