namespace Geo.Consistency;

/// <summary>A term that a replica has heard of, while it is higher than those that it has promised and adopted.</summary>
internal sealed record HeardTerm(Term Term);
