namespace Geo.Experiments.Soak.Memory;

/// <summary>What a process uses.</summary>
/// <param name="Managed">What its runtime has in use after a collection, in bytes.</param>
/// <param name="Resident">What the process has of the machine's memory, in bytes.</param>
internal sealed record MemoryUse(long Managed, long Resident)
{
    /// <summary>This process's, after a collection.</summary>
    public static MemoryUse OfThisProcess() => new(GC.GetTotalMemory(forceFullCollection: true), Environment.WorkingSet);
}
