# REQUIRES: libtpu, pallas-python
# RUN: env PALLAS_BUILD=%build XDG_CACHE_HOME=%t %python %root/utils/fit-cost.py --rounds=0 --first=100003 --kernels=20 --chips=v5e --bounds=0.95,0.1,0.4
# RUN: env PALLAS_BUILD=%build XDG_CACHE_HOME=%t %python %root/utils/fit-cost.py --rounds=0 --first=100003 --kernels=20 --chips=v6e --bounds=0.95,0.1,0.4
# Constants that are wrong don't pass.
# RUN: not env PALLAS_BUILD=%build XDG_CACHE_HOME=%t %python %root/utils/fit-cost.py --rounds=0 --known --first=100003 --kernels=20 --chips=v6e --bounds=0.95,0.0001,0.4
"""The cost model of TPUs ranks kernels as their compiler does, and comes close to its figures, on kernels that it was not fitted to."""
