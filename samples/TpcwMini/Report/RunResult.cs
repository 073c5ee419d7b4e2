using System.Globalization;
using System.Text.Json.Serialization;
using TpcwMini.Options;

namespace TpcwMini.Report;

/// <summary>Everything one run found out; what <c>--json</c> writes.</summary>
internal sealed record RunResult
{
    public string Host { get; init; } = Variant.Word(HostKind.Embedded);

    /// <summary>Silos in each cluster.</summary>
    public int Silos { get; init; } = 1;

    public required IReadOnlyList<string> Clusters { get; init; }
    public required string Api { get; init; }
    public required string State { get; init; }
    public required string Instancing { get; init; }
    public required string Reads { get; init; }
    public required int Robots { get; init; }
    public required int Seconds { get; init; }
    public required int Warmup { get; init; }
    public required double RttMs { get; init; }
    public required int Items { get; init; }
    public required int StockOfEachItem { get; init; }
    public required string Store { get; init; }
    public required double StoreNearMs { get; init; }
    public required double StoreFarMs { get; init; }
    public required int StoreOps { get; init; }

    /// <summary>What single instances do while another cluster does not answer.</summary>
    public string Mode { get; init; } = Variant.Word(SingleInstanceMode.Optimistic);

    public string? Kill { get; init; }
    public string? Cut { get; init; }
    public string? Add { get; init; }
    public string? Drain { get; init; }

    /// <summary>What happened to regions because it was asked for.</summary>
    public IReadOnlyList<RunMoment> Moments { get; init; } = [];

    /// <summary>Steps that ended in the measured time, however long they took.</summary>
    public required long StepsCompleted { get; init; }

    /// <summary>Those of them that took less than 1.5 s.</summary>
    public required long StepsInTime { get; init; }

    /// <summary>The paper's throughput: steps in time over the measured time.</summary>
    public required double StepsPerSecond { get; init; }

    public required long WorkflowsCompleted { get; init; }
    public required long WorkflowsAborted { get; init; }
    public required int OversoldItems { get; init; }
    public required int LostOrders { get; init; }
    public required int DuplicateOrders { get; init; }
    public required int ConfirmedOrders { get; init; }
    public required int SoldOutItems { get; init; }
    public required IReadOnlyDictionary<string, StepLatency> LatencyMs { get; init; }
    public required long Errors { get; init; }

    /// <summary>Calls cut off by the kill or cut that was asked for.</summary>
    public required long Interrupted { get; init; }

    public required IReadOnlyList<string> ErrorSamples { get; init; }
    public required IReadOnlyList<string> Violations { get; init; }

    /// <summary>Steps in time for each second since the robots started, warm-up included, for each cluster.</summary>
    public required IReadOnlyDictionary<string, IReadOnlyList<long>> StepsInTimePerSecond { get; init; }

    /// <summary>Calls that ended in whatever way, for each second since the robots started, for each cluster.</summary>
    public IReadOnlyDictionary<string, IReadOnlyList<long>> CallsPerSecond { get; init; } = new Dictionary<string, IReadOnlyList<long>>();

    /// <summary>Those of them that ended with an error, for each second since the robots started, for each cluster.</summary>
    public IReadOnlyDictionary<string, IReadOnlyList<long>> FailedPerSecond { get; init; } = new Dictionary<string, IReadOnlyList<long>>();

    /// <summary>The command line that does the same run again.</summary>
    public string Command { get; init; } = "";

    /// <summary>The version of the program, with the commit where it is known.</summary>
    public string Version { get; init; } = "";

    public DateTimeOffset Date { get; init; }

    public required IReadOnlyList<ProcessLoad> Cpu { get; init; }

    /// <summary>Null for volatile state, which needs no account.</summary>
    public StoreLoad? StorageAccount { get; init; }

    /// <summary>What kept the run from going faster, as far as the figures tell.</summary>
    public required string Saturated { get; init; }

    /// <summary>Orders and checks in one phrase, so that their numbers belong together.</summary>
    [JsonIgnore]
    public string Orders => string.Create(
        CultureInfo.InvariantCulture,
        $"{ConfirmedOrders:#,0} confirmed, {WorkflowsCompleted:#,0} of them in the measured time; each checked: {LostOrders} lost, "
        + $"{DuplicateOrders} sold twice; {OversoldItems} items oversold, {SoldOutItems:#,0} of {Items:#,0} sold out");

    /// <summary>Calls that were cut off, and by what.</summary>
    [JsonIgnore]
    public string Interruptions => string.Create(
        CultureInfo.InvariantCulture,
        $"{Interrupted:#,0} were interrupted{(Kill is not null ? " by the kill" : Cut is not null ? " by the cut" : "")}");

    /// <summary>True when nothing was oversold, lost or sold twice, and no call failed.</summary>
    public bool Passed => OversoldItems == 0 && LostOrders == 0 && DuplicateOrders == 0 && Errors == 0;

    [JsonIgnore]
    public Variant Variant => new(
        OptionRules.Choice<ItemApi>("api", Api),
        OptionRules.Choice<ItemDurability>("state", State),
        OptionRules.Choice<ItemInstancing>("instancing", Instancing),
        OptionRules.Choice<ReadPolicy>("reads", Reads));
}
