using System.Net;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Geo.Messaging;

namespace Geo.Experiments.Messaging;

/// <summary>A certificate that all peers of one run show, and the only one that they trust, in a folder that goes with the run.</summary>
internal sealed class ExperimentCertificate : IDisposable
{
    private static readonly TimeSpan Life = TimeSpan.FromDays(1);

    private readonly DirectoryInfo _folder = System.IO.Directory.CreateTempSubdirectory("geo-experiment-");

    public ExperimentCertificate()
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = new CertificateRequest("CN=Geo experiment", key, HashAlgorithmName.SHA256);
        var names = new SubjectAlternativeNameBuilder();
        names.AddIpAddress(IPAddress.Loopback);
        names.AddUri(new Uri("geo-client:*"));
        request.CertificateExtensions.Add(names.Build());
        var now = DateTimeOffset.UtcNow;
        using var certificate = request.CreateSelfSigned(now - Life, now + Life);
        File.WriteAllText(CertificateFile(Folder), certificate.ExportCertificatePem());
        File.WriteAllText(KeyFile(Folder), key.ExportPkcs8PrivateKeyPem());
    }

    /// <summary>What peers are told.</summary>
    public string Folder => _folder.FullName;

    /// <summary>What Geo.Messaging is told.</summary>
    public static TlsOptions Options(string folder) =>
        new() { CertificateFile = CertificateFile(folder), KeyFile = KeyFile(folder), AuthorityFile = CertificateFile(folder) };

    public static X509Certificate2 Load(string folder) => X509Certificate2.CreateFromPemFile(CertificateFile(folder), KeyFile(folder));

    public void Dispose() => _folder.Delete(recursive: true);

    private static string CertificateFile(string folder) => Path.Combine(folder, "peer.pem");

    private static string KeyFile(string folder) => Path.Combine(folder, "peer.key");
}
