using Geo.Experiments.ByteArrays;
using Geo.Experiments.Losses;
using Geo.Experiments.Processes;

namespace Geo.Experiments.Tests.Losses;

/// <summary>
/// How long grains of a lost region are without an answer, with the settings as they are by default, while they are called all the time.
/// </summary>
/// <remarks>Measures, so nothing else of this assembly runs at the same time.</remarks>
[CollectionDefinition(nameof(LossTimesTests), DisableParallelization = true)]
[Collection(nameof(LossTimesTests))]
public sealed class LossTimesTests
{
    // Silence is noticed after DeadLinkAfter (3 s) at the earliest, which leaves a machine that is busy with other tests little of the five
    // seconds; the command loss-times holds it to them.
    private static readonly TimeSpan AfterSilence = 2 * LossExperiment.Promised;

    public static TheoryData<string, string> Losses => new(
        from host in (ExperimentHost[])[ExperimentHost.Embedded, ExperimentHost.Orleans]
        from loss in Enum.GetNames<LossEvent>()
        select (host.ToString(), loss));

    [Theory]
    [MemberData(nameof(Losses))]
    public async Task Grains_of_a_lost_region_answer_elsewhere_or_are_refused_in_time(string hostName, string loss)
    {
        var host = Enum.Parse<ExperimentHost>(hostName);
        Assert.SkipWhen(host == ExperimentHost.Orleans && OrleansPeer.Assembly is null, OrleansPeer.Absence);
        var experiment = new LossExperiment([host], TimeSpan.FromMilliseconds(60), arrays: 20, runs: 1, TextWriter.Null);

        var happened = Enum.Parse<LossEvent>(loss);
        var times = await experiment.MeasureAsync(host, happened, TestContext.Current.CancellationToken);

        var line = $"{host}, {loss}: the last of 20 optimistic grains answers elsewhere after {times.AnsweredLast.TotalSeconds:0.0} s, "
            + $"the last of 20 pessimistic ones is refused after {times.RefusedLast.TotalSeconds:0.0} s";
        TestContext.Current.TestOutputHelper?.WriteLine(line);
        var bound = happened is LossEvent.Killed or LossEvent.LinkBroken ? LossExperiment.Promised : AfterSilence;
        Assert.True(times.AnsweredLast < bound, line);
        Assert.True(times.RefusedLast < bound, line);
    }
}
