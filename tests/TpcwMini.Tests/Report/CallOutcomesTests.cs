using TpcwMini.Options;
using TpcwMini.Report;

namespace TpcwMini.Tests.Report;

public sealed class CallOutcomesTests
{
    [Fact]
    public void The_picture_has_a_column_a_second_and_the_parts_add_up_to_the_run()
    {
        var run = SampleRun.Of(Variant.Sensible[1]) with
        {
            Moments = [new(1, "eu is cut off", "while eu is cut off"), new(2, "eu is back", "after eu is back")],
            Warmup = 1,
            Seconds = 3,
            StepsInTimePerSecond = new Dictionary<string, IReadOnlyList<long>> { ["us"] = [9, 80, 40, 80], ["eu"] = [9, 80, 0, 60] },
            CallsPerSecond = new Dictionary<string, IReadOnlyList<long>> { ["us"] = [9, 80, 80, 80], ["eu"] = [9, 80, 1, 60] },
            FailedPerSecond = new Dictionary<string, IReadOnlyList<long>> { ["us"] = [0, 0, 10, 0], ["eu"] = [0, 0, 1, 0] },
        };

        var outcomes = CallOutcomes.Of(run)!;

        Assert.Equal(
            [
                "us  in time  █▄█",
                "    late     ·▃·",
                "    failed   ·▁·",
                "eu  in time  █·▆",
                "    failed   ·▁·",
                "              ^ eu is cut off at 1 s",
                "               ^ eu is back at 2 s",
            ],
            outcomes.Picture());
        Assert.Equal("calls a second, a column each (▁ some, █ 80, · none)", outcomes.Legend);
        Assert.Equal(["before eu is cut off", "while eu is cut off", "after eu is back"], outcomes.Parts);
        Assert.Equal([100, 50, 100], outcomes.Regions[0].Percent.Select(share => share!.Value));
        Assert.Equal([100, 0, 100], outcomes.Regions[1].Percent.Select(share => share!.Value));
    }

    [Fact]
    public void Where_no_call_ended_there_is_no_share()
    {
        var run = SampleRun.Of(Variant.Sensible[1]) with
        {
            Moments = [new(0, "eu is killed", "without eu")],
            StepsInTimePerSecond = new Dictionary<string, IReadOnlyList<long>> { ["eu"] = [5, 0, 0] },
        };

        Assert.Equal([100, null], CallOutcomes.Of(run)!.Regions[0].Percent);
    }

    [Fact]
    public void Where_nothing_happens_to_a_region_there_is_no_picture() =>
        Assert.Null(CallOutcomes.Of(SampleRun.Of(Variant.Sensible[1])));
}
