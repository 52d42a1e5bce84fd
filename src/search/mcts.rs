//! Monte Carlo tree search that hands out leaves and takes back evaluations.
