# SPDX-License-Identifier: MIT
# The names in a golden list of headers as rows for layout.c, functions.cpp and numbers.cpp. What the programs print for these
# rows is the list again, if the headers agree with NVIDIA's.
/^sizeof / { sub(/^sizeof /, ""); sub(/ = .*/, ""); print "SIZE(" $0 ")"; next }
/ at [0-9]+ size [0-9]+$/ { sub(/ at .*/, ""); dot = index($0, "."); print "FIELD(" substr($0, 1, dot - 1) ", " substr($0, dot + 1) ")"; next }
/^[^ ]+ = -?[0-9]+$/ || /^[^ ]+ -?[0-9]+$/ { print "VALUE(" $1 ")"; next }
{ print "FUNCTION(" $1 ")" }
