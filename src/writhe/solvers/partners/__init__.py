"""Two people: a partner who reacts while the other is posed."""

from writhe.solvers.partners.pair_prior import PairPrior, PairPriorOptions
from writhe.solvers.partners.posed_pair import PosedPair
from writhe.solvers.partners.reaction import PartnerReaction, ReactionOptions

__all__ = ["PairPrior", "PairPriorOptions", "PartnerReaction", "PosedPair", "ReactionOptions"]
