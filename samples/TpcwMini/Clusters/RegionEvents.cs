using TpcwMini.Options;
using TpcwMini.Report;
using TpcwMini.Robots;

namespace TpcwMini.Clusters;

/// <summary>Does to the regions what was asked for, each at its time, and notes when it was done.</summary>
/// <param name="options">What was asked for.</param>
/// <param name="deployment">The regions.</param>
/// <param name="clock">The run's.</param>
/// <param name="watch">Is told of what may cut calls off.</param>
/// <param name="joined">Is told that an added region takes customers.</param>
internal sealed class RegionEvents(RunOptions options, Deployment deployment, RunClock clock, RegionWatch watch, Action<string> joined)
{
    private readonly List<RunMoment> _moments = [];

    /// <summary>Ends when all of it has happened.</summary>
    public async Task<IReadOnlyList<RunMoment>> RunAsync(CancellationToken cancellationToken)
    {
        foreach (var (second, happen) in Planned().OrderBy(planned => planned.Second))
        {
            await clock.UntilAsync(clock.Warmup + TimeSpan.FromSeconds(second), cancellationToken);
            await happen(cancellationToken);
        }

        return _moments;
    }

    private IEnumerable<(double Second, Func<CancellationToken, Task> Happen)> Planned()
    {
        if (options.Kill is { } kill)
        {
            yield return (kill.Second, _ => KillAsync(kill));
            if (kill.Back is { } back)
            {
                yield return (back, cancellationToken => RestartAsync(kill.Cluster, back, cancellationToken));
            }
        }

        foreach (var cut in options.Cuts.OrderBy(cut => cut.From))
        {
            yield return (cut.From, _ => Cut(cut));
            yield return (cut.To, _ => Heal(cut));
        }

        if (options.Add is { } add)
        {
            yield return (add.Second, cancellationToken => AddAsync(add.Cluster, cancellationToken));
        }

        if (options.Drain is { } drain)
        {
            yield return (drain.Second, cancellationToken => DrainAsync(drain.Cluster, cancellationToken));
        }
    }

    private Task KillAsync(KillPlan kill)
    {
        watch.Kill(kill);
        var what = kill.Silo is { } silo ? $"silo {silo} of {kill.Cluster}" : kill.Cluster;
        Note(kill.Second, $"{what} is killed", $"without {what}");
        return deployment.KillAsync(kill);
    }

    private async Task RestartAsync(string cluster, double second, CancellationToken cancellationToken)
    {
        await deployment.RestartAsync(cluster, cancellationToken);
        watch.Return();
        Note(second, $"{cluster} is started again", $"after {cluster} is started again");
    }

    private Task Cut(CutPlan cut)
    {
        watch.BeginCut(cut.Cluster);
        deployment.Cut(cut.Cluster);
        Note(cut.From, $"{cut.Cluster} is cut off", $"while {cut.Cluster} is cut off");
        return Task.CompletedTask;
    }

    private Task Heal(CutPlan cut)
    {
        deployment.Heal(cut.Cluster);
        watch.EndCut();
        Note(cut.To, $"{cut.Cluster} is back", $"after {cut.Cluster} is back");
        return Task.CompletedTask;
    }

    private async Task AddAsync(string cluster, CancellationToken cancellationToken)
    {
        Note(Now(), $"{cluster} is added", $"while {cluster} joins");
        await deployment.AddAsync(cluster, cancellationToken);
        Note(Now(), $"{cluster} is a member", $"with {cluster}");
        joined(cluster);
    }

    private async Task DrainAsync(string cluster, CancellationToken cancellationToken)
    {
        // As an operator does who replaces one region by another: first its load balancer sends new customers elsewhere, then those who are
        // there finish, then its grains leave, and then its silos stop.
        Note(Now(), $"{cluster} is drained", $"while {cluster} leaves");
        deployment.Routes.Turn(cluster, options.OtherThan(cluster));
        await deployment.DrainAsync(cluster, cancellationToken);
        Note(Now(), $"{cluster} has gone", $"without {cluster}");
    }

    private double Now() => Math.Round((clock.Now - clock.Warmup).TotalSeconds, 1);

    private void Note(double second, string what, string part) => _moments.Add(new RunMoment(second, what, part));
}
