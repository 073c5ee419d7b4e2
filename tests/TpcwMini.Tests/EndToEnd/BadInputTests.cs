using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Text;
using Geo;
using Geo.Storage.Sqlite;

namespace TpcwMini.Tests.EndToEnd;

public sealed class BadInputTests
{
    [Theory]
    [InlineData("--api", "classic", "--api 'classic' is not known")]
    [InlineData("--clusters", "us,us", "'us' twice")]
    [InlineData("--robots", "none", "--robots 'none'")]
    [InlineData("--frobnicate", "1", "--frobnicate")]
    [InlineData("--host", "akka", "--host 'akka' is not known")]
    [InlineData("--silos", "2", "needs --host orleans")]
    [InlineData("--kill", "eu/1@2", "--host orleans --silos 2")]
    [InlineData("--cut", "mars@2:3", "names no cluster")]
    [InlineData("--cut", "eu@2", "CLUSTER@FROM:TO")]
    [InlineData("--drain", "mars@2", "names no cluster")]
    [InlineData("--add", "eu@2", "names a cluster of --clusters")]
    [InlineData("--mode", "quorum", "needs 3 clusters")]
    public async Task An_impossible_option_is_one_line_and_an_exit_code(string option, string value, string says)
    {
        using var folder = new WorkFolder();
        (await SampleProcess.RunAsync(folder, option, value)).AssertRefused(says);
        Assert.Empty(Directory.GetFileSystemEntries(folder.Path));
    }

    [Fact]
    public async Task A_port_in_use_is_one_line()
    {
        using var taken = new TcpListener(IPAddress.Loopback, 0);
        taken.Start();
        var port = ((IPEndPoint)taken.LocalEndpoint).Port.ToString(CultureInfo.InvariantCulture);
        using var folder = new WorkFolder();

        (await SampleProcess.RunAsync(folder, [.. SmallLoad.Options, "--port", port])).AssertRefused(port);
    }

    [Fact]
    public async Task A_file_that_is_no_store_is_one_line_and_stays_as_it_is()
    {
        using var folder = new WorkFolder();
        var path = folder.File("letter.txt");
        var text = string.Concat(Enumerable.Repeat("Dear all, this is not a database. ", 100));
        await File.WriteAllTextAsync(path, text, TestContext.Current.CancellationToken);

        (await SampleProcess.RunAsync(folder, [.. SmallLoad.Options, "--store", "sqlite", "--store-path", path]))
            .AssertRefused("letter.txt");

        Assert.Equal(text, await File.ReadAllTextAsync(path, TestContext.Current.CancellationToken));
    }

    [Theory]
    [InlineData("basic")]
    [InlineData("versioned")]
    public async Task A_stored_state_that_cannot_be_read_names_its_grain_and_stays_as_it_is(string api)
    {
        using var folder = new WorkFolder();
        var path = folder.File("shop.db");
        string[] arguments = [.. SmallLoad.Options, "--seconds", "1", "--store", "sqlite", "--store-path", path, "--api", api];
        (await SampleProcess.RunAsync(folder, arguments)).AssertPassed();
        var garbage = Encoding.UTF8.GetBytes("this is no item");
        string key;
        await using (var store = await SqliteConditionalStore.OpenAsync(
            new SqliteStoreOptions { Path = path }, TestContext.Current.CancellationToken))
        {
            var item = await FindAsync(store, "item-7");
            key = item.Key;
            Assert.Equal(
                StoreWriteOutcome.Applied,
                (await store.WriteAsync(key, garbage, item.ETag, TestContext.Current.CancellationToken)).Outcome);
        }

        (await SampleProcess.RunAsync(folder, arguments)).AssertRefused("item-7");

        await using var after = await SqliteConditionalStore.OpenAsync(
            new SqliteStoreOptions { Path = path }, TestContext.Current.CancellationToken);
        Assert.Equal(garbage, (await after.ReadAsync(key, TestContext.Current.CancellationToken)).Value.ToArray());
    }

    private static async Task<StoreEntry> FindAsync(SqliteConditionalStore store, string item)
    {
        await foreach (var entry in store.ListAsync("", TestContext.Current.CancellationToken))
        {
            if (entry.Key.EndsWith(item, StringComparison.Ordinal))
            {
                return entry;
            }
        }

        throw new InvalidOperationException($"The store holds no {item}.");
    }
}
