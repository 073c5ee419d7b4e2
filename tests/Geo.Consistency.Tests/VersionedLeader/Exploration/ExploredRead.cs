namespace Geo.Consistency.Tests.VersionedLeader.Exploration;

/// <summary>A linearizable read: it must see at least what was confirmed when it began, unless that was lost since.</summary>
/// <param name="Loss">How many stated losses there had been.</param>
/// <param name="Length">How much was confirmed.</param>
/// <param name="Step">The step that the leader had decided.</param>
/// <param name="Round">The round of appends that must be acknowledged.</param>
/// <param name="Instance">The instance that reads.</param>
internal sealed record ExploredRead(int Loss, int Length, long Step, long Round, long Instance);
