/* SPDX-License-Identifier: MIT */
/* Two threads take 10 from an account that has 100. They read and write it under a lock, but in two
 * steps: where the other thread comes between the steps, one withdrawal is lost. Ends with 1 then.
 *
 * No CUDA: cc example.c -o example -lpthread; see README.md. */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance = 100;

static int read_balance(void)
{
    int now;

    pthread_mutex_lock(&lock);
    now = balance;
    pthread_mutex_unlock(&lock);
    return now;
}

static void write_balance(const char *name, int to)
{
    pthread_mutex_lock(&lock);
    balance = to;
    printf("%s: %d\n", name, to);
    pthread_mutex_unlock(&lock);
}

static void *example_withdraw(void *name)
{
    write_balance(name, read_balance() - 10);
    return NULL;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, NULL, example_withdraw, "a");
    pthread_create(&b, NULL, example_withdraw, "b");
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("balance %d\n", balance);
    return balance != 80;
}
