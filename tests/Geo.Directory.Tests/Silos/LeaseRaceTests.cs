using Geo.Testing;
using Microsoft.Extensions.Logging.Abstractions;

namespace Geo.Directory.Tests.Silos;

/// <summary>
/// A lease and a fence that are written at one time: whoever comes second sees it, by the comparison of versions. Each is shown to be
/// needed: without it the silo is taken for gone while it serves.
/// </summary>
public sealed class LeaseRaceTests
{
    private static readonly TimeSpan Duration = TimeSpan.FromSeconds(6);

    private readonly SimulationScheduler _scheduler = new();
    private readonly InMemoryConditionalStore _rows = new();

    public enum Write
    {
        /// <summary>The first lease of a silo, beside its fence.</summary>
        FirstLease,

        /// <summary>The fence of a silo that has no row, beside its first lease.</summary>
        FirstFence,

        /// <summary>The fence of a silo that nobody calls dead, beside its next lease.</summary>
        Fence,
    }

    [Theory]
    [InlineData(Write.FirstLease)]
    [InlineData(Write.FirstFence)]
    [InlineData(Write.Fence)]
    public void No_silo_is_gone_while_it_serves(Write write) =>
        Assert.False(ServesThoughGone(write, new UncomparedStore(_rows, _ => false)));

    [Theory]
    [InlineData(Write.FirstLease)]
    [InlineData(Write.FirstFence)]
    [InlineData(Write.Fence)]
    public void Without_the_comparison_one_is(Write write) => Assert.True(
        ServesThoughGone(write, new UncomparedStore(_rows, row => LeaseRow.Decode(row.Span).IsFenced == (write != Write.FirstLease))));

    private bool ServesThoughGone(Write write, IConditionalStore rows)
    {
        var serves = false;
        _scheduler.Run(async () =>
        {
            var lease = Lease(_rows);
            if (write == Write.Fence)
            {
                await lease.RenewAsync(CancellationToken.None);
            }

            SiloEnd end;
            if (write == Write.FirstLease)
            {
                end = SiloEnd.Unknown;
                lease = Lease(Before(async () => end = await EndAsync(_rows, isDead: true)));
                await lease.RenewAsync(CancellationToken.None);
            }
            else
            {
                end = await EndAsync(Before(() => lease.RenewAsync(CancellationToken.None)), isDead: write == Write.FirstFence);
            }

            serves = end == SiloEnd.Gone && lease.MayServe;
        });
        return serves;

        // What happens once, just before the write that is compared.
        TroubledStore Before(Func<Task> what)
        {
            var isDone = false;
            return new(rows)
            {
                BeforeWrite = async () =>
                {
                    if (!isDone)
                    {
                        isDone = true;
                        await what();
                    }
                },
            };
        }
    }

    private SiloLease Lease(IConditionalStore rows) => new(rows, "node", "eu,us", Duration, _scheduler.Time, NullLogger.Instance);

    private async Task<SiloEnd> EndAsync(IConditionalStore rows, bool isDead)
    {
        using var fences = new SiloFences(rows, Duration, _scheduler.Time, NullLogger.Instance);
        fences.Start();
        return await fences.EndOfAsync("node", isDead, CancellationToken.None);
    }
}
