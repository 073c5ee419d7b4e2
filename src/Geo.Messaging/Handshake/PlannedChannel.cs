namespace Geo.Messaging;

/// <summary>A channel of a <see cref="LanePlan"/>.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Parallelism">The most connections it has.</param>
/// <param name="ByKey">
/// True when all are opened with the link and keys choose among them; else those after the first are bulk lanes.
/// </param>
internal sealed record PlannedChannel(string Name, int Parallelism, bool ByKey = false);
