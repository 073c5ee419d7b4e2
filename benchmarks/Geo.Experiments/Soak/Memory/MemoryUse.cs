using System.Globalization;
using System.Runtime;

namespace Geo.Experiments.Soak.Memory;

/// <summary>What a process uses, after a collection.</summary>
/// <param name="Managed">What its runtime has in use, in bytes: judged.</param>
/// <param name="Committed">What its collector keeps of the machine's memory for that, in bytes.</param>
/// <param name="Resident">What the process has of the machine's memory, in bytes.</param>
/// <param name="ResidentFiles">As much of that is pages of files, programs among them, in bytes.</param>
/// <param name="Threads">Its threads, each of which has a stack.</param>
/// <param name="CompiledMethods">The methods that were compiled in it until now, each time that they were; their code stays.</param>
internal readonly record struct MemoryUse(
    long Managed, long Committed, long Resident, long ResidentFiles, int Threads, long CompiledMethods)
{
    private const string Status = "/proc/self/status";

    /// <summary>
    /// What is neither the collector's nor a file's: code that was compiled, stacks, the runtime's own tables, what native libraries hold.
    /// Too little by what the collector has committed and not touched yet: when it does, this rises, and nothing else has grown.
    /// </summary>
    public long Rest => Resident - ResidentFiles - Committed;

    /// <summary>This process's, after a collection.</summary>
    public static MemoryUse OfThisProcess()
    {
        var managed = GC.GetTotalMemory(forceFullCollection: true);
        var status = File.Exists(Status) ? File.ReadAllLines(Status) : [];
        return new(
            managed, GC.GetGCMemoryInfo(GCKind.Any).TotalCommittedBytes, Environment.WorkingSet,
            1024 * (Number(status, "RssFile:") + Number(status, "RssShmem:")), (int)Number(status, "Threads:"),
            JitInfo.GetCompiledMethodCount());
    }

    private static long Number(string[] status, string name) =>
        status.FirstOrDefault(line => line.StartsWith(name, StringComparison.Ordinal)) is { } line
            ? long.Parse(line[name.Length..].Split('k')[0], CultureInfo.InvariantCulture) : 0;
}
