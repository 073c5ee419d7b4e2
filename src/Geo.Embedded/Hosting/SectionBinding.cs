using Microsoft.Extensions.Configuration;

namespace Geo;

/// <summary>Reads settings from a section of the configuration.</summary>
internal static class SectionBinding
{
    /// <summary>Sets options from a section. A key that they do not have is a fault: a misspelt setting would not be noticed.</summary>
    /// <exception cref="GeoConfigurationException">A key is not known, or its value is not what the setting takes.</exception>
    public static void BindKnown(this IConfigurationSection section, object options)
    {
        try
        {
            section.Bind(options, binder => binder.ErrorOnUnknownConfiguration = true);
        }
        catch (InvalidOperationException e)
        {
            // The binder's words on an unknown key are about its own option, and name the key at their end.
            var what = e.Message.StartsWith($"'{nameof(BinderOptions.ErrorOnUnknownConfiguration)}'", StringComparison.Ordinal)
                ? $"there is no setting {e.Message[(e.Message.LastIndexOf(": ", StringComparison.Ordinal) + 2)..].ReplaceLineEndings(" ")}."
                : e.Message;
            throw new GeoConfigurationException($"The settings in '{section.Path}' cannot be: {what}", e);
        }
    }
}
