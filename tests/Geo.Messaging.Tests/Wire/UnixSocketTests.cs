namespace Geo.Messaging.Tests;

public sealed class UnixSocketTests : IAsyncDisposable
{
    private readonly DirectoryInfo _directory = System.IO.Directory.CreateTempSubdirectory("geo-unix-");
    private readonly Net _net = new();

    private string SocketFile => Path.Combine(_directory.FullName, "geo.sock");

    public async ValueTask DisposeAsync()
    {
        await _net.DisposeAsync();
        _directory.Delete(recursive: true);
    }

    [Fact]
    public async Task The_socket_is_open_to_its_owner_only_and_gone_when_the_node_is()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Windows has no file modes.");
        var node = await ListenAsync("eu/1");

        var mode = OperatingSystem.IsWindows() ? default : File.GetUnixFileMode(SocketFile);
        Assert.Equal(UnixFileMode.UserRead | UnixFileMode.UserWrite, mode);

        await node.DisposeAsync();
        Assert.False(File.Exists(SocketFile));
    }

    [Fact]
    public async Task A_file_left_behind_by_a_process_that_died_is_replaced()
    {
        LeaveSocketBehind();
        Assert.True(File.Exists(SocketFile));

        var node = await ListenAsync("eu/1");

        var dialler = await _net.StartAsync("us/1");
        Assert.Equal(node.Peer, await Eventually.InTimeAsync(dialler.JoinAsync(node.ListeningOn!, cancellationToken: Net.Token)));
    }

    [Fact]
    public async Task A_file_that_a_living_node_listens_on_is_not_taken_away()
    {
        var first = await ListenAsync("eu/1");

        var error = await Assert.ThrowsAsync<GeoConfigurationException>(() => ListenAsync("eu/2"));

        Assert.Contains("another process does", error.Message, StringComparison.Ordinal);
        var dialler = await _net.StartAsync("us/1");
        Assert.Equal(first.Peer, await Eventually.InTimeAsync(dialler.JoinAsync(first.ListeningOn!, cancellationToken: Net.Token)));
    }

    [Fact]
    public async Task A_socket_of_another_program_is_not_taken_away()
    {
        using var other = UnixSocketFile.NewSocket();
        other.Bind(new System.Net.Sockets.UnixDomainSocketEndPoint(SocketFile));
        other.Listen();

        var error = await Assert.ThrowsAsync<GeoConfigurationException>(() => ListenAsync("eu/1"));

        Assert.Contains("another program does", error.Message, StringComparison.Ordinal);
        Assert.True(File.Exists(SocketFile));
    }

    [Fact]
    public async Task A_file_that_is_no_socket_stays_as_it_is()
    {
        await File.WriteAllTextAsync(SocketFile, "", Net.Token);

        var error = await Assert.ThrowsAsync<GeoConfigurationException>(() => ListenAsync("eu/1"));

        Assert.Contains("a file that is no socket", error.Message, StringComparison.Ordinal);
        Assert.True(File.Exists(SocketFile));
    }

    [Fact]
    public async Task A_directory_that_is_not_there_is_one_clear_error()
    {
        var address = PeerAddress.Unix(Path.Combine(_directory.FullName, "none", "geo.sock"));

        var error = await Assert.ThrowsAsync<GeoConfigurationException>(
            () => _net.StartAsync("eu/1", options => options with { ListenOn = address }));

        Assert.StartsWith($"Cannot listen on {address}: ", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Mutual_TLS_works_over_a_unix_domain_socket_for_the_host_localhost()
    {
        using var authority = new TestAuthority();
        var listener = await ListenAsync("eu/1", authority.Issue("eu", host: "localhost"));
        var dialler = await _net.StartAsync("us/1", options => options with { Tls = authority.Issue("us", host: "localhost") });
        var plain = await _net.StartAsync("asia/1");

        Assert.Equal(listener.Peer, await Eventually.InTimeAsync(dialler.JoinAsync(listener.ListeningOn!, cancellationToken: Net.Token)));
        var refused = Refusals.Next(listener);
        plain.Connect(listener.ListeningOn!);
        Assert.Equal(RefusalReason.Untrusted, (await Eventually.InTimeAsync(refused)).Reason);
    }

    private Task<MessagingNode> ListenAsync(string peer, TlsOptions? tls = null) =>
        _net.StartAsync(peer, options => options with { ListenOn = PeerAddress.Unix(SocketFile), Tls = tls });

    // What the death of a process leaves: a socket that was bound, that nobody listens on, and whose file nobody removed.
    private void LeaveSocketBehind()
    {
        var elsewhere = SocketFile + ".tmp";
        using var dead = UnixSocketFile.NewSocket();
        dead.Bind(new System.Net.Sockets.UnixDomainSocketEndPoint(elsewhere));
        File.Move(elsewhere, SocketFile);
    }
}
