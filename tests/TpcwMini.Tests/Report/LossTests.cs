using TpcwMini.Options;
using TpcwMini.Report;

namespace TpcwMini.Tests.Report;

public sealed class LossTests
{
    [Fact]
    public void The_picture_has_a_column_a_second_and_the_parts_add_up_to_the_run()
    {
        var run = SampleRun.Of(Variant.Sensible[1]) with
        {
            Kill = "eu@1-2",
            Warmup = 1,
            Seconds = 3,
            StepsInTimePerSecond = new Dictionary<string, IReadOnlyList<long>> { ["us"] = [9, 10, 5, 10], ["eu"] = [9, 10, 0, 8] },
            CallsPerSecond = new Dictionary<string, IReadOnlyList<long>> { ["us"] = [9, 10, 10, 10], ["eu"] = [9, 10, 0, 8] },
        };

        var loss = Loss.Of(run)!;

        Assert.Equal(["us  █▅█", "eu  █·█", "     ^ eu killed at 1 s, started again at 2 s"], loss.Picture());
        Assert.Equal(["before eu is killed", "without eu", "after eu is started again"], loss.Parts);
        Assert.Equal([100, 50, 100], loss.Regions[0].Percent.Select(share => share!.Value));
        Assert.Equal([100, null, 100], loss.Regions[1].Percent);
    }

    [Fact]
    public void Without_a_kill_or_with_one_silo_killed_there_is_none()
    {
        Assert.Null(Loss.Of(SampleRun.Of(Variant.Sensible[1])));
        Assert.Null(Loss.Of(SampleRun.Of(Variant.Sensible[1]) with { Kill = "eu/1@1" }));
    }
}
