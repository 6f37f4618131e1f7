// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The header of a section may say any size, of which nothing is in the file. */
__asm__(".section .large, \"\", @nobits\n"
	".skip 1 << 50\n"
	".text");

int main(void)
{
	return 0;
}
