namespace Geo.Experiments.Soak.Memory;

/// <summary>How the memory of one process went.</summary>
/// <param name="Process">Its name.</param>
/// <param name="Managed">What its runtime had in use after a collection: judged.</param>
/// <param name="Resident">What it had of the machine's memory; not judged, for the runtime takes and gives it back as it likes.</param>
internal sealed record ProcessMemory(string Process, MemoryTrend Managed, MemoryTrend Resident);
