using System.Globalization;
using System.Text.Json.Serialization;

namespace Geo.Experiments.Messaging;

/// <summary>One point of the matrix, at which all variants are compared.</summary>
/// <param name="Workload">What is done.</param>
/// <param name="PayloadBytes">The size of a message's payload.</param>
/// <param name="RoundTripMilliseconds">The round trip; 0 on loopback.</param>
/// <param name="Actors">How many actors a loading peer has, each with one message under way.</param>
[JsonConverter(typeof(CellNameConverter))]
internal sealed record Cell(Workload Workload, int PayloadBytes, int RoundTripMilliseconds, int Actors)
{
    private const int Kilobyte = 1024;
    private const int Megabyte = 1024 * Kilobyte;
    private const double HeadOfLineSeconds = 5;

    /// <summary>The name by which <c>--only</c> finds it, for example <c>echo/512KB/20ms/x128</c>.</summary>
    public override string ToString() => string.Create(
        CultureInfo.InvariantCulture, $"{Name(Workload)}/{Size(PayloadBytes)}/{RoundTripMilliseconds}ms/x{Actors}");

    /// <summary>True when connections are encrypted, and both sides show a certificate.</summary>
    public bool IsEncrypted => Workload == Workload.LoopbackLargeTls;

    /// <summary>The peers that take part.</summary>
    public int Peers() => Workload == Workload.KeyValue ? 3 : 2;

    /// <summary>
    /// How long it is measured: longer than asked where operations are few, as 8 MB ones are, or where a maximum takes more than 200 of
    /// them, as a round trip beside bulk does.
    /// </summary>
    /// <param name="seconds">What is asked.</param>
    public double MeasureSeconds(double seconds) =>
        Workload == Workload.HeadOfLine ? Math.Max(seconds, HeadOfLineSeconds)
        : PayloadBytes >= 8 * Megabyte ? 2 * seconds
        : seconds;

    /// <summary>Every cell there is.</summary>
    public static IReadOnlyList<Cell> All { get; } =
    [
        .. from workload in (Workload[])[Workload.Echo, Workload.KeyValue]
           from roundTrip in (int[])[1, 20, 145]
           from payload in (int[])[Kilobyte, 512 * Kilobyte, 8 * Megabyte]
           from actors in (int[])[1, 16, 64, 128]
           select new Cell(workload, payload, roundTrip, actors),
        new Cell(Workload.HeadOfLine, 8 * Megabyte, 20, 16),
        .. from workload in (Workload[])[Workload.LoopbackRequest, Workload.LoopbackAwait, Workload.LoopbackOneWay]
           from payload in (int[])[100, Kilobyte]
           select new Cell(workload, payload, 0, 128),
        new Cell(Workload.LoopbackLarge, Megabyte, 0, Variant.LargeActors),
        new Cell(Workload.LoopbackLargeTls, Megabyte, 0, Variant.LargeActors),
    ];

    /// <summary>The cell of a name.</summary>
    /// <exception cref="FormatException">There is none.</exception>
    public static Cell Parse(string name) =>
        All.FirstOrDefault(cell => cell.ToString() == name) ?? throw new FormatException($"There is no cell '{name}'.");

    private static string Name(Workload workload) => workload switch
    {
        Workload.Echo => "echo",
        Workload.KeyValue => "kv",
        Workload.HeadOfLine => "hol",
        Workload.LoopbackRequest => "loopback-request",
        Workload.LoopbackAwait => "loopback-await",
        Workload.LoopbackLarge => "loopback-large",
        Workload.LoopbackLargeTls => "loopback-large-tls",
        _ => "loopback-oneway",
    };

    private static string Size(int bytes) =>
        bytes >= Megabyte ? $"{bytes / Megabyte}MB" : bytes >= Kilobyte ? $"{bytes / Kilobyte}KB" : $"{bytes}B";
}
