namespace Geo.Storage.Quorum.Tests;

/// <summary>Processes that are killed and started again over their files.</summary>
public sealed class ReturningKeeperTests : IAsyncLifetime
{
    private readonly KeeperProcesses _keepers = new();

    public ValueTask InitializeAsync() => _keepers.InitializeAsync();

    public ValueTask DisposeAsync() => _keepers.DisposeAsync();

    [Fact]
    public async Task What_was_written_while_one_was_away_outlives_another_one()
    {
        await _keepers.KillAsync("eu");
        Assert.Equal(StoreWriteOutcome.Applied, (await _keepers.WriteUntilKnownAsync("kept")).Outcome);
        await _keepers.StartAsync("eu");
        await _keepers.KillAsync("us");

        // Of what asia alone has with those that answer, the read makes a majority's.
        for (var limit = DateTime.UtcNow + TimeSpan.FromMinutes(1); ;)
        {
            var read = await (await _keepers.OpenAsync()).ReadAsync("kept", TestContext.Current.CancellationToken);
            if (read.Outcome == StoreReadOutcome.Unknown && DateTime.UtcNow < limit)
            {
                continue;
            }

            Assert.Equal(StoreReadOutcome.Found, read.Outcome);
            return;
        }
    }
}
