/* SPDX-License-Identifier: MIT */
/* A program with nothing in it: the header under test is put before it. */
int main(void)
{
    return 0;
}
