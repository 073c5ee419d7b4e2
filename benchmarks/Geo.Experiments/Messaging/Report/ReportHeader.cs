using System.Globalization;
using Geo.Experiments.Networks;

namespace Geo.Experiments.Messaging.Report;

/// <summary>The line above all figures: what they were made on and how.</summary>
internal static class ReportHeader
{
    public static string Of(RawHeader header, IEnumerable<NetworkKind> networks) => string.Create(
        CultureInfo.InvariantCulture,
        $"{header.Processors} processors for peers and network together; "
        + $"{string.Join("; ", networks.Select(network => network.Description()))}; "
        + $"warm-up {header.WarmUpSeconds} s, then {header.MeasureSeconds} s measured (longer where operations are few); "
        + $"{header.Repeats} interleaved repeats, {header.ReferenceRepeats} of what stands beside; N = {header.Lanes}; "
        + $"largest send buffer {header.LargestSendBuffer?.ToString("#,0", CultureInfo.InvariantCulture) ?? "unknown"} B; "
        + $"{header.System}, {header.Runtime}, Geo {header.Version}; begun {header.StartedAt.UtcDateTime:yyyy-MM-dd HH:mm} UTC.");
}
