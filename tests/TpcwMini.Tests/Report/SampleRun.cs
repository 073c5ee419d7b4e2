using TpcwMini.Options;
using TpcwMini.Report;

namespace TpcwMini.Tests.Report;

internal static class SampleRun
{
    public static RunResult Of(Variant variant) => new()
    {
        Clusters = ["us", "eu"],
        Api = Variant.Word(variant.Api),
        State = Variant.Word(variant.State),
        Instancing = Variant.Word(variant.Instancing),
        Reads = Variant.Word(variant.Reads),
        Robots = 10,
        Seconds = 2,
        Warmup = 1,
        RttMs = 145,
        Items = 5,
        StockOfEachItem = 3,
        Store = "memory",
        StoreNearMs = 10,
        StoreFarMs = 145,
        StoreOps = 1000,
        StepsCompleted = 100,
        StepsInTime = 90,
        StepsPerSecond = 45,
        WorkflowsCompleted = 20,
        WorkflowsAborted = 1,
        OversoldItems = 0,
        LostOrders = 0,
        DuplicateOrders = 0,
        ConfirmedOrders = 25,
        SoldOutItems = 1,
        LatencyMs = new Dictionary<string, StepLatency>
        {
            ["create"] = new(1, 2, 3, 25),
            ["add"] = new(2, 3, 4, 25),
            ["buy"] = new(3, 4, 5, 25),
            ["confirm"] = new(4, 5, 6, 25),
        },
        Errors = 0,
        Interrupted = 0,
        ErrorSamples = [],
        Violations = [],
        StepsInTimePerSecond = new Dictionary<string, IReadOnlyList<long>> { ["us"] = [1, 2, 3], ["eu"] = [3, 2, 1] },
        Cpu = [new ProcessLoad("us", 40)],
        StorageAccount = new StoreLoad(500, 1000, 50),
        Saturated = "nothing",
    };
}
