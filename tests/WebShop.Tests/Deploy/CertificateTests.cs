using System.Security.Cryptography.X509Certificates;
using Geo.Processes;

namespace WebShop.Tests.Deploy;

public sealed class CertificateTests : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    private string Folder => Path.GetDirectoryName(_folder.File("x"))!;

    [Fact]
    public async Task A_region_gets_a_certificate_of_the_authority_in_its_name_and_a_new_one_when_renewed()
    {
        Assert.SkipUnless(DeployFiles.Has("openssl") && DeployFiles.Has("sh"), "The script takes sh and openssl.");
        Environment.SetEnvironmentVariable("HOSTS_us", "us.example.org,10.0.0.1");

        await MakeAsync(Folder, "us", "eu-west");
        var (authority, us) = (Bytes("authority.crt"), Bytes("us/us.crt"));
        await MakeAsync(Folder, "us");
        var unchanged = Bytes("us/us.crt");

        // As it is done months later: nobody remembers the names.
        Environment.SetEnvironmentVariable("HOSTS_us", null);
        await MakeAsync("--renew", Folder, "us");

        Assert.Equal(us, unchanged);
        Assert.NotEqual(us, Bytes("us/us.crt"));
        Assert.Equal(authority, Bytes("authority.crt"));
        Assert.Equal(authority, Bytes("us/authority.crt"));
        Assert.Equal(["authority.crt", "us.crt", "us.key"], Directory.GetFiles(_folder.File("us")).Select(Path.GetFileName).Order());
        using var renewed = X509Certificate2.CreateFromPemFile(_folder.File("us/us.crt"), _folder.File("us/us.key"));
        using var root = X509CertificateLoader.LoadCertificateFromFile(_folder.File("authority.crt"));
        using var chain = new X509Chain
        {
            ChainPolicy = { TrustMode = X509ChainTrustMode.CustomRootTrust, RevocationMode = X509RevocationMode.NoCheck },
        };
        chain.ChainPolicy.CustomTrustStore.Add(root);
        Assert.True(chain.Build(renewed));
        var names = renewed.Extensions.OfType<X509SubjectAlternativeNameExtension>().Single();
        Assert.Equal(["us", "us.example.org"], names.EnumerateDnsNames());
        Assert.Equal("10.0.0.1", Assert.Single(names.EnumerateIPAddresses()).ToString());
        Assert.Contains("geo-cluster:us"u8.ToArray(), Windows(names.RawData, 14));
    }

    [Fact]
    public async Task The_authority_is_replaced_while_every_certificate_in_use_is_trusted_by_every_region()
    {
        Assert.SkipUnless(DeployFiles.Has("openssl") && DeployFiles.Has("sh"), "The script takes sh and openssl.");
        await MakeAsync(Folder, "us", "eu");
        File.Copy(_folder.File("us/us.crt"), _folder.File("us-before.crt"));

        await MakeAsync("--new-authority", Folder);
        Assert.True(await TrustsAsync("us", "eu/eu.crt") && await TrustsAsync("eu", "us/us.crt"));

        await MakeAsync("--renew", Folder, "us");
        await MakeAsync(Folder, "us", "eu", "asia");
        Assert.True(await TrustsAsync("eu", "us/us.crt") && await TrustsAsync("eu", "us-before.crt"));
        Assert.True(await TrustsAsync("us", "eu/eu.crt") && await TrustsAsync("us", "us-before.crt"));
        Assert.True(await TrustsAsync("asia", "eu/eu.crt") && await TrustsAsync("eu", "asia/asia.crt"));
        var (early, why) = await RunAsync("--drop-old", Folder);
        Assert.Equal(1, early);
        Assert.Contains("region eu has a certificate of the old authority still", why, StringComparison.Ordinal);
        Assert.True(await TrustsAsync("us", "eu/eu.crt"));

        await MakeAsync("--renew", Folder, "eu");
        await MakeAsync("--drop-old", Folder);
        Assert.False(await TrustsAsync("eu", "us-before.crt"));
        Assert.True(await TrustsAsync("us", "eu/eu.crt") && await TrustsAsync("eu", "us/us.crt"));
        Assert.Equal(Bytes("authority.crt"), Bytes("eu/authority.crt"));
        Assert.False(File.Exists(_folder.File("old-authority.key")));
    }

    [Fact]
    public async Task What_an_operator_has_a_region_trust_is_kept_when_it_is_renewed()
    {
        Assert.SkipUnless(DeployFiles.Has("openssl") && DeployFiles.Has("sh"), "The script takes sh and openssl.");
        await MakeAsync(Folder, "us");
        await MakeAsync(_folder.File("other"), "eu");
        File.AppendAllText(_folder.File("us/authority.crt"), File.ReadAllText(_folder.File("other/authority.crt")));

        await MakeAsync("--renew", Folder, "us");

        Assert.True(await TrustsAsync("us", "us/us.crt") && await TrustsAsync("us", "other/eu/eu.crt"));
    }

    [Fact]
    public async Task The_authoritys_key_is_the_owners_alone_and_comes_into_no_checkout_and_no_image()
    {
        Assert.SkipUnless(DeployFiles.Has("openssl") && DeployFiles.Has("sh"), "The script takes sh and openssl.");
        var folder = _folder.File("certificates");
        Directory.CreateDirectory(folder);
        await DeployFiles.RunAsync("chmod", "755", folder);

        await MakeAsync(folder, "us");

        var mode = OperatingSystem.IsWindows() ? default : File.GetUnixFileMode(folder);
        Assert.Equal(UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute, mode);
        string[] kept = ["certificates/", "*.key"], left = ["**/certificates", "**/*.key"];
        Assert.Empty(kept.Except(File.ReadAllLines(Path.Combine(DeployFiles.Root, ".gitignore"))));
        Assert.Empty(left.Except(File.ReadAllLines(Path.Combine(DeployFiles.Root, ".dockerignore"))));
    }

    [Fact]
    public async Task The_tools_key_is_made_once_for_all_regions_and_is_the_owners_alone()
    {
        Assert.SkipUnless(DeployFiles.Has("openssl") && DeployFiles.Has("sh"), "The script takes sh and openssl.");
        await MakeAsync(Folder, "us");
        var key = File.ReadAllText(_folder.File("geo.key"));

        await MakeAsync(Folder, "us", "eu");
        await MakeAsync("--new-authority", Folder);
        await MakeAsync("--renew", Folder, "us", "eu");
        await MakeAsync("--drop-old", Folder);
        await MakeAsync(_folder.File("other"), "us");

        Assert.Matches(@"^[0-9a-f]{64}\z", key);
        Assert.Equal(key, File.ReadAllText(_folder.File("geo.key")));
        Assert.NotEqual(key, File.ReadAllText(_folder.File("other/geo.key")));
        var mode = OperatingSystem.IsWindows() ? default : File.GetUnixFileMode(_folder.File("geo.key"));
        Assert.Equal(UnixFileMode.UserRead | UnixFileMode.UserWrite, mode);
    }

    [Fact]
    public async Task Where_the_authoritys_key_is_kept_elsewhere_only_what_takes_it_is_refused_and_says_so()
    {
        Assert.SkipUnless(DeployFiles.Has("openssl") && DeployFiles.Has("sh"), "The script takes sh and openssl.");
        await MakeAsync(Folder, "us");
        var before = Bytes("us/us.crt");
        File.Move(_folder.File("authority.key"), _folder.File("elsewhere.key"));
        File.Delete(_folder.File("geo.key"));

        await MakeAsync(Folder, "us");
        foreach (var refused in new[] { new[] { "--renew", Folder, "us" }, [Folder, "us", "eu"] })
        {
            var (code, why) = await RunAsync(refused);
            Assert.Equal(1, code);
            Assert.Contains("authority.key, which signs, is not in the folder", why, StringComparison.Ordinal);
        }

        Assert.True(File.Exists(_folder.File("geo.key")));
        Assert.Equal(before, Bytes("us/us.crt"));
        Assert.False(File.Exists(_folder.File("us/us.key.new")));
    }

    [Fact]
    public async Task A_name_that_cannot_be_a_region_is_refused()
    {
        Assert.SkipUnless(DeployFiles.Has("openssl") && DeployFiles.Has("sh"), "The script takes sh and openssl.");

        var (code, _) = await DeployFiles.RunAsync("sh", DeployFiles.PathOf("certificates.sh"), Folder, "us,URI:geo-cluster:eu");

        Assert.Equal(2, code);
    }

    public void Dispose() => _folder.Dispose();

    private static async Task MakeAsync(params string[] arguments)
    {
        var (code, output) = await RunAsync(arguments);
        Assert.True(code == 0, output);
    }

    private static Task<(int Code, string Output)> RunAsync(params string[] arguments) =>
        DeployFiles.RunAsync("sh", [DeployFiles.PathOf("certificates.sh"), .. arguments]);

    private async Task<bool> TrustsAsync(string region, string certificate)
    {
        var (code, _) = await DeployFiles.RunAsync(
            "openssl", "verify", "-CAfile", _folder.File($"{region}/authority.crt"), _folder.File(certificate));
        return code == 0;
    }

    private static IEnumerable<byte[]> Windows(byte[] bytes, int length) =>
        Enumerable.Range(0, bytes.Length - length + 1).Select(start => bytes[start..(start + length)]);

    private byte[] Bytes(string file) => File.ReadAllBytes(_folder.File(file));
}
