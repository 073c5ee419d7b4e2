using System.Net.Security;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Microsoft.Extensions.Logging;

namespace Geo.Messaging;

/// <summary>Reads a node's credentials from their files, and again when those have changed.</summary>
internal sealed class TlsCredentialFiles(TlsOptions options, TimeProvider time, ILogger logger)
{
    private readonly Lock _lock = new();
    private TlsCredentials? _current;
    private (DateTime, DateTime, DateTime) _written;
    private long _lastLook;

    /// <summary>The credentials as of now; the last sound ones when the files have become unusable, which is logged.</summary>
    /// <exception cref="GeoConfigurationException">There never were sound ones; the message names the file.</exception>
    public TlsCredentials Current()
    {
        lock (_lock)
        {
            if (_current is not null && time.GetElapsedTime(_lastLook) < options.ReloadInterval)
            {
                return _current;
            }

            _lastLook = time.GetTimestamp();
            try
            {
                var written = (Written(options.CertificateFile), Written(options.KeyFile), Written(options.AuthorityFile));
                if (_current is not null && written == _written)
                {
                    return _current;
                }

                var before = _current;
                (_current, _written) = (Read(), written);
                if (before is not null)
                {
                    MessagingLog.CertificatesReloaded(logger, options.CertificateFile);
                }
            }
            catch (GeoConfigurationException e) when (_current is not null)
            {
                // Files that are being replaced may not fit together for a moment: the next look may find them whole.
                MessagingLog.CertificatesNotReloaded(logger, e.Message);
            }

            return _current;
        }
    }

    private DateTime Written(string file) => Load(file, () => File.GetLastWriteTimeUtc(file));

    private TlsCredentials Read()
    {
        var own = Load(options.CertificateFile, () => X509Certificate2.CreateFromPemFile(options.CertificateFile, options.KeyFile));
        if (OperatingSystem.IsWindows())
        {
            // There, TLS cannot use a key that exists in memory alone.
            own = X509CertificateLoader.LoadPkcs12(own.Export(X509ContentType.Pkcs12), null);
        }

        var chain = Load(options.CertificateFile, () => ImportAll(options.CertificateFile));
        return new TlsCredentials(
            SslStreamCertificateContext.Create(own, chain, offline: true),
            Load(options.AuthorityFile, () => ImportAll(options.AuthorityFile)));
    }

    private static X509Certificate2Collection ImportAll(string file)
    {
        var certificates = new X509Certificate2Collection();
        certificates.ImportFromPemFile(file);
        return certificates.Count > 0 ? certificates : throw new CryptographicException("the file holds no certificate");
    }

    private T Load<T>(string file, Func<T> load)
    {
        try
        {
            return load();
        }
        catch (Exception e) when (e is CryptographicException or IOException or UnauthorizedAccessException)
        {
            throw new GeoConfigurationException(
                $"The TLS files cannot be used: {file} (key {options.KeyFile}): {e.Message}. Give PEM files that this process may read "
                + "and that belong together.", e);
        }
    }
}
