using Geo.Directory;
using Geo.Orleans.Tests.Clusters;
using Microsoft.Extensions.DependencyInjection;

namespace Geo.Orleans.Tests.Silos;

public sealed class OrleansSiblingsTests(TwoClusters fixture) : IClassFixture<TwoClusters>
{
    [Fact]
    public async Task A_question_with_a_longer_time_out_than_timers_take_is_answered()
    {
        var services = fixture.Clusters.SilosOf("eu")[0].Services;
        var node = services.GetRequiredService<OrleansMembership>().Local;

        var answer = await services.GetRequiredService<OrleansSiblings>().AskAsync(
            node, ClusterIncarnation.Service, default, TimeSpan.MaxValue, TestContext.Current.CancellationToken);

        Assert.Equal((ReplyOutcome.Replied, null), (answer.Outcome, answer.Reason));
    }
}
