namespace Geo.Consistency;

/// <summary>A candidate asks to lead.</summary>
/// <param name="Term">The term that it would lead.</param>
/// <param name="Configuration">The number of its configuration.</param>
/// <param name="Names">The memories that it knows, its own included.</param>
/// <param name="At">The term of its log.</param>
/// <param name="Step">The step of its log.</param>
internal sealed record Ask(Term Term, long Configuration, ClusterMap<long> Names, Term At, long Step);
