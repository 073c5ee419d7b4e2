using Geo.Directory;
using Geo.Orleans.Tests.Clusters;
using Microsoft.Extensions.DependencyInjection;
using Orleans.Configuration;

namespace Geo.Orleans.Tests.Silos;

public sealed class OrleansSiblingsTests(TwoClusters fixture) : IClassFixture<TwoClusters>
{
    private static readonly TimeSpan Soon = TimeSpan.FromSeconds(30);

    [Fact]
    public async Task A_question_with_a_longer_time_out_than_timers_take_is_answered()
    {
        var services = fixture.Clusters.SilosOf("eu")[0].Services;
        var node = services.GetRequiredService<OrleansMembership>().Local;

        var answer = await services.GetRequiredService<OrleansSiblings>().AskAsync(
            node, ClusterIncarnation.Service, default, TimeSpan.MaxValue, TestContext.Current.CancellationToken);

        Assert.Equal((ReplyOutcome.Replied, null), (answer.Outcome, answer.Reason));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Who_is_asked_learns_that_nobody_waits_any_more(bool cancels)
    {
        var services = fixture.Clusters.SilosOf("eu")[0].Services;
        var (begun, ended) = (Promise(), Promise());
        using var handling = services.GetRequiredService<SiblingServices>().Handle("test.given-up", async (_, token) =>
        {
            begun.TrySetResult();
            await Task.Delay(Timeout.Infinite, token).ContinueWith(_ => { }, TaskScheduler.Default);
            ended.TrySetResult();
            return default;
        });
        using var patience = new CancellationTokenSource();

        var asked = services.GetRequiredService<OrleansSiblings>().AskAsync(
            services.GetRequiredService<OrleansMembership>().Local, "test.given-up", default,
            cancels ? TimeSpan.FromHours(1) : TimeSpan.FromSeconds(1), patience.Token);
        await begun.Task.WaitAsync(Soon, TestContext.Current.CancellationToken);
        if (cancels)
        {
            await patience.CancelAsync();
            await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await asked);
        }
        else
        {
            Assert.Equal(ReplyOutcome.Unknown, (await asked).Outcome);
        }

        await ended.Task.WaitAsync(Soon, TestContext.Current.CancellationToken);
    }

    [Fact]
    public async Task A_question_has_the_time_that_it_is_asked_with_and_not_that_of_Orleans()
    {
        await using var clusters = await GeoTestCluster.StartAsync(new()
        {
            Clusters = ["eu"],
            Silo = silo => silo.Configure<SiloMessagingOptions>(
                options => (options.ResponseTimeout, options.SystemResponseTimeout) = (TimeSpan.FromSeconds(5), TimeSpan.FromSeconds(5))),
        });
        var services = clusters.SilosOf("eu")[0].Services;
        var (node, free) = (services.GetRequiredService<OrleansMembership>().Local, Promise());
        using var handling = services.GetRequiredService<SiblingServices>().Handle("test.slow", async (_, _) =>
        {
            await free.Task;
            return default;
        });
        var siblings = services.GetRequiredService<OrleansSiblings>();

        var patient = siblings.AskAsync(node, "test.slow", default, TimeSpan.FromHours(1), TestContext.Current.CancellationToken).AsTask();
        await siblings.AskAsync(node, "test.slow", default, TimeSpan.FromSeconds(8), TestContext.Current.CancellationToken);

        Assert.False(patient.IsCompleted);
        free.SetResult();
        Assert.Equal(ReplyOutcome.Replied, (await patient).Outcome);
    }

    private static TaskCompletionSource Promise() => new(TaskCreationOptions.RunContinuationsAsynchronously);
}
