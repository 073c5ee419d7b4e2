using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Microsoft.Extensions.Logging;

namespace Geo.Administration;

/// <summary>The endpoint's certificate, read again when its files have changed, as those of the silo's links are.</summary>
internal sealed class EndpointCertificate(string file, string keyFile, TimeProvider time, ILogger logger)
{
    private static readonly TimeSpan LookInterval = TimeSpan.FromSeconds(10);

    private readonly Lock _gate = new();
    private X509Certificate2? _current;
    private (DateTime, DateTime) _written;
    private long _lookedAt;

    /// <summary>The certificate as of now; the last sound one when the files have become unusable, which is logged.</summary>
    /// <exception cref="GeoConfigurationException">There never was a sound one.</exception>
    public X509Certificate2 Current()
    {
        lock (_gate)
        {
            if (_current is { } current && time.GetElapsedTime(_lookedAt) < LookInterval)
            {
                return current;
            }

            _lookedAt = time.GetTimestamp();
            try
            {
                var written = (File.GetLastWriteTimeUtc(file), File.GetLastWriteTimeUtc(keyFile));
                if (_current is null || written != _written)
                {
                    (_current, _written) = (X509Certificate2.CreateFromPemFile(file, keyFile), written);
                }
            }
            catch (Exception e) when (e is CryptographicException or IOException or UnauthorizedAccessException)
            {
                if (_current is null)
                {
                    throw new GeoConfigurationException($"The certificate of the admin endpoint cannot be used: {file}: {e.Message}", e);
                }

                AdministrationLog.CertificateNotReloaded(logger, e.Message);
            }

            return _current;
        }
    }
}
