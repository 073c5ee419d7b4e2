using System.Reflection;
using System.Runtime.InteropServices;

namespace Geo.Experiments.Messaging.Report;

/// <summary>The first line of raw data: on what machine and how they were made.</summary>
/// <param name="StartedAt">When the first of them was made.</param>
/// <param name="Version">The build.</param>
/// <param name="Processors">The processors that this machine has for peers and network together.</param>
/// <param name="System">The operating system.</param>
/// <param name="Runtime">The runtime.</param>
/// <param name="LargestSendBuffer">
/// The kernel's limit on a send buffer that a program asks for, in bytes; null where it does not say.
/// </param>
/// <param name="Lanes">What N is in "N lanes" and "N connections".</param>
/// <param name="Repeats">The repeats asked for.</param>
/// <param name="ReferenceRepeats">The repeats asked for of what stands beside without a limit.</param>
/// <param name="WarmUpSeconds">The time before each run is measured.</param>
/// <param name="MeasureSeconds">The time that a run is measured, where its cell does not need more.</param>
internal sealed record RawHeader(
    DateTimeOffset StartedAt,
    string Version,
    int Processors,
    string System,
    string Runtime,
    long? LargestSendBuffer,
    int Lanes,
    int Repeats,
    int ReferenceRepeats,
    double WarmUpSeconds,
    double MeasureSeconds)
{
    private const string SendBufferLimit = "/proc/sys/net/core/wmem_max";

    /// <summary>The header of what a plan makes here and now.</summary>
    public static RawHeader Of(RunPlan plan) => new(
        DateTimeOffset.UtcNow,
        typeof(RawHeader).Assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>()?.InformationalVersion ?? "",
        Environment.ProcessorCount,
        RuntimeInformation.OSDescription,
        RuntimeInformation.FrameworkDescription,
        File.Exists(SendBufferLimit) && long.TryParse(File.ReadAllText(SendBufferLimit), out var bytes) ? bytes : null,
        plan.Lanes,
        plan.Repeats,
        plan.ReferenceRepeats,
        plan.WarmUpSeconds,
        plan.MeasureSeconds);

    /// <summary>True when runs made under the other header may stand beside those made under this one, repeat by repeat.</summary>
    public bool Matches(RawHeader other) =>
        this == other with { StartedAt = StartedAt, Repeats = Repeats, ReferenceRepeats = ReferenceRepeats };
}
