using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Geo.Messaging.Tests;

/// <summary>A certificate authority of one test, with the files it hands out in a directory of its own.</summary>
internal sealed class TestAuthority : IDisposable
{
    private readonly DirectoryInfo _directory = System.IO.Directory.CreateTempSubdirectory("geo-tls-");
    private readonly X509Certificate2 _root;

    public TestAuthority()
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = new CertificateRequest($"CN=Test authority {Guid.NewGuid()}", key, HashAlgorithmName.SHA256);
        request.CertificateExtensions.Add(new X509BasicConstraintsExtension(true, false, 0, true));
        _root = request.CreateSelfSigned(DateTimeOffset.UtcNow.AddDays(-1), DateTimeOffset.UtcNow.AddDays(30));
        File.WriteAllText(PathOf("authority.pem"), _root.ExportCertificatePem());
    }

    public string PathOf(string file) => Path.Combine(_directory.FullName, file);

    /// <summary>Signs a certificate for a host, writes it, and gives the options that use it.</summary>
    /// <param name="name">What its files are called.</param>
    /// <param name="host">The host.</param>
    /// <param name="validFor">How long it is valid.</param>
    /// <param name="peer">Who its holder may be; any peer of the cluster of the files' name when null, nobody when empty.</param>
    public TlsOptions Issue(string name, string host = "127.0.0.1", TimeSpan? validFor = null, string? peer = null)
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = new CertificateRequest($"CN={name}", key, HashAlgorithmName.SHA256);
        var names = new SubjectAlternativeNameBuilder();
        if (System.Net.IPAddress.TryParse(host, out var ip))
        {
            names.AddIpAddress(ip);
        }
        else
        {
            names.AddDnsName(host);
        }

        if (peer != "")
        {
            names.AddUri(new Uri(peer ?? $"geo-cluster:{name}"));
        }

        request.CertificateExtensions.Add(names.Build());
        request.CertificateExtensions.Add(
            new X509EnhancedKeyUsageExtension([new Oid("1.3.6.1.5.5.7.3.1"), new Oid("1.3.6.1.5.5.7.3.2")], false));
        var now = DateTimeOffset.UtcNow;
        using var certificate = request.Create(
            _root, now.AddHours(-1), now + (validFor ?? TimeSpan.FromDays(1)), RandomNumberGenerator.GetBytes(16));
        File.WriteAllText(PathOf($"{name}.key"), key.ExportPkcs8PrivateKeyPem());
        File.WriteAllText(PathOf($"{name}.pem"), certificate.ExportCertificatePem());
        return new TlsOptions
        {
            CertificateFile = PathOf($"{name}.pem"),
            KeyFile = PathOf($"{name}.key"),
            AuthorityFile = PathOf("authority.pem"),
            ReloadInterval = TimeSpan.Zero,
        };
    }

    public void Dispose()
    {
        _root.Dispose();
        _directory.Delete(recursive: true);
    }
}
