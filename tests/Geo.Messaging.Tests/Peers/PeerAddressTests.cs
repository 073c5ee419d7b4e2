namespace Geo.Messaging.Tests;

public sealed class PeerAddressTests
{
    [Theory]
    [InlineData("127.0.0.1:4000", "127.0.0.1", 4000, true)]
    [InlineData("localhost:0", "localhost", 0, true)]
    [InlineData("[::1]:65535", "::1", 65535, true)]
    [InlineData("eu.example.org:11111", "eu.example.org", 11111, false)]
    [InlineData("0.0.0.0:80", "0.0.0.0", 80, false)]
    public void An_address_is_read_and_written_back(string text, string host, int port, bool loopback)
    {
        var address = PeerAddress.Parse(text);

        Assert.Equal((host, port, loopback), (address.Host, address.Port, address.IsLoopback));
        Assert.Equal(text, address.ToString());
    }

    [Fact]
    public void The_address_of_a_unix_domain_socket_is_read_and_written_back()
    {
        var address = PeerAddress.Parse("unix:/run/geo/eu:1.sock");

        Assert.Equal(("/run/geo/eu:1.sock", true), (address.UnixPath, address.IsLoopback));
        Assert.Equal("unix:/run/geo/eu:1.sock", address.ToString());
        Assert.Equal(PeerAddress.Unix("/run/geo/eu:1.sock"), address);
        Assert.NotEqual(PeerAddress.Unix("/run/geo/eu:2.sock"), address);
        Assert.Null(PeerAddress.Parse("unix:80").UnixPath);
    }

    [Fact]
    public void The_path_of_a_unix_domain_socket_is_absolute_and_fits_on_every_system()
    {
        Assert.Throws<ArgumentException>(() => PeerAddress.Unix("geo.sock"));
        Assert.Throws<ArgumentException>(() => PeerAddress.Unix(""));
        var error = Assert.Throws<FormatException>(() => PeerAddress.Parse("unix:/" + new string('x', PeerAddress.MaxUnixPathBytes)));
        Assert.Contains("may have 103 bytes, this one has 104", error.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("")]
    [InlineData("unix:")]
    [InlineData("unix:/")]
    [InlineData("unix:geo.sock")]
    [InlineData("host")]
    [InlineData(":80")]
    [InlineData("host:")]
    [InlineData("host:65536")]
    [InlineData("host:-1")]
    [InlineData("host:x")]
    [InlineData("::1:80")]
    [InlineData("[]:80")]
    public void What_is_no_address_is_refused_with_its_text(string text)
    {
        var error = Assert.Throws<FormatException>(() => PeerAddress.Parse(text));

        Assert.Contains($"'{text}'", error.Message, StringComparison.Ordinal);
    }
}
