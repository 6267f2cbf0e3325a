"""Codex's config.toml: values with which 0.166.0 does not start.

Each was tried with numbers, texts, flags, lists and tables (``codex features list``, which reads the file as ``codex
exec`` does). Unknown keys are ignored, and names that refer to something else in the file are not followed here.
"""

from __future__ import annotations

from anyhook.dialects.settings.shapes import (
    ANYTHING,
    FLAG,
    NUMBER,
    TEXT,
    TEXTS,
    Number,
    Value,
    any_of,
    each,
    list_of,
    map_of,
    object_of,
    one_of,
    tolerant,
)

_COUNT = Number(whole=True, least=0)
_WHOLE = Number(whole=True)
_POSITIVE = Number(whole=True, least=1)
_ENABLED = object_of({"enabled": FLAG})
_MAP = map_of(TEXT)
_ACCESS = one_of("allow deny")
_APPROVAL = one_of("auto prompt writes approve")
_REVIEWER = one_of("user auto_review guardian_subagent")


def _table(members: dict[str, Value]) -> Value:
    """A table for which a list of its values in order is taken, too."""
    return tolerant(object_of(members), "list")


_APP: dict[str, Value] = {
    **each("enabled destructive_enabled open_world_enabled", FLAG),
    "default_tools_approval_mode": _APPROVAL,
    "approvals_reviewer": _REVIEWER,
}
_ORIGIN = object_of(each("access downloads uploads full_cdp_access", _ACCESS))
_SERVER_KEYS: dict[str, Value] = {
    **each("command url cwd bearer_token_env_var name environment_id oauth_resource http_headers_helper", TEXT),
    **each("args enabled_tools disabled_tools scopes", TEXTS),
    **each("env http_headers env_http_headers", _MAP),
    **each("enabled required supports_parallel_tool_calls", FLAG),
    **each("startup_timeout_sec tool_timeout_sec", NUMBER),
    "startup_timeout_ms": _COUNT,
    "auth": one_of("oauth chatgpt ema_auth"),
    "default_tools_approval_mode": _APPROVAL,
    "tools": map_of(tolerant(object_of({"approval_mode": _APPROVAL}), "list")),
    "oauth": _table({"client_id": TEXT, "callback_port": _COUNT}),
    "env_vars": list_of(any_of(TEXT, object_of(each("name source", TEXT), "name"))),
}
_SUGGESTED = tolerant(object_of({"type": one_of("connector plugin"), "id": TEXT}, "type id"), "list")
_SERVER = any_of(object_of(_SERVER_KEYS, "command"), object_of(_SERVER_KEYS, "url"))
_PROVIDER = object_of(
    {
        **each("name base_url env_key env_key_instructions experimental_bearer_token", TEXT),
        **each("query_params http_headers env_http_headers", _MAP),
        **each("request_max_retries stream_max_retries stream_idle_timeout_ms websocket_connect_timeout_ms", _COUNT),
        **each("requires_openai_auth supports_websockets", FLAG),
        "wire_api": one_of("responses"),
    },
    "name",
)

_CHOICES: dict[str, Value] = {
    "approval_policy": any_of(
        one_of("untrusted on-failure on-request never"),
        object_of(
            {
                "granular": object_of(
                    each("mcp_elicitations request_permissions rules sandbox_approval skill_approval", FLAG)
                )
            },
            "granular",
        ),
    ),
    "approvals_reviewer": _REVIEWER,
    "model_reasoning_summary": one_of("auto concise detailed none"),
    "model_verbosity": one_of("low medium high"),
    "personality": one_of("none friendly pragmatic"),
    "sandbox_mode": one_of("read-only workspace-write danger-full-access"),
    "web_search": one_of("disabled cached indexed live"),
}
_EXPORTER = any_of(
    one_of("none statsig"),
    object_of(
        {
            "otlp-http": object_of(
                {"endpoint": TEXT, "protocol": one_of("binary json"), "headers": _MAP}, "endpoint protocol"
            )
        },
        "otlp-http",
    ),
    object_of({"otlp-grpc": object_of({"endpoint": TEXT, "headers": _MAP}, "endpoint")}, "otlp-grpc"),
)
# Some features take a table of their own instead.
_FEATURES = object_of(each("hooks codex_hooks", FLAG), others=any_of(FLAG, object_of({})))

SETTINGS = object_of(
    {
        **_CHOICES,
        **each(
            "apps_mcp_product_sku chatgpt_base_url compact_prompt default_permissions developer_instructions "
            "experimental_compact_prompt_file experimental_realtime_start_instructions "
            "experimental_realtime_webrtc_call_base_url experimental_realtime_ws_backend_prompt "
            "experimental_realtime_ws_base_url experimental_realtime_ws_model experimental_realtime_ws_startup_context "
            "instructions log_dir mcp_oauth_callback_url model model_catalog_json model_instructions_file "
            "model_provider model_reasoning_effort openai_base_url oss_provider plan_mode_reasoning_effort profile "
            "review_model service_tier sqlite_home",
            TEXT,
        ),
        **each(
            "allow_login_shell check_for_update_on_startup disable_paste_burst experimental_use_unified_exec_tool "
            "hide_agent_reasoning include_apps_instructions include_collaboration_mode_instructions "
            "include_environment_context include_permissions_instructions show_raw_agent_reasoning "
            "suppress_unstable_features_warning",
            FLAG,
        ),
        **each(
            "background_terminal_max_timeout mcp_oauth_callback_port project_doc_max_bytes tool_output_token_limit",
            _COUNT,
        ),
        **each("model_auto_compact_token_limit model_context_window", _WHOLE),
        **each("notify project_doc_fallback_filenames project_root_markers", TEXTS),
        "forced_chatgpt_workspace_id": any_of(TEXT, TEXTS),
        "cli_auth_credentials_store": one_of("file keyring auto ephemeral"),
        "file_opener": one_of("vscode vscode-insiders windsurf cursor none"),
        "forced_login_method": one_of("chatgpt api"),
        "mcp_oauth_credentials_store": one_of("auto file keyring"),
        "model_auto_compact_token_limit_scope": one_of("total body_after_prefix"),
        "agents": object_of(
            {
                **each("enabled interrupt_message", FLAG),
                **each("max_concurrent_threads_per_session max_threads", _POSITIVE),
                "max_depth": _WHOLE,
                **each("default_subagent_model default_subagent_reasoning_effort", TEXT),
                "job_max_runtime_seconds": _COUNT,
            },
            others=object_of({**each("config_file description", TEXT), "nickname_candidates": TEXTS}),
        ),
        **each("analytics feedback", _ENABLED),
        "apps": object_of({"_default": _table(_APP)}, others=_table({**_APP, "default_tools_enabled": FLAG})),
        **each("desktop permissions", object_of({})),
        "audio": object_of(each("microphone speaker", TEXT)),
        "auto_review": object_of({"policy": TEXT}),
        "ghost_snapshot": object_of(
            {
                "disable_warnings": FLAG,
                **each("ignore_large_untracked_dirs ignore_large_untracked_files", _WHOLE),
            }
        ),
        "goals": object_of({"max_goal_token_budget": _POSITIVE}),
        "notice": object_of(
            {
                **each(
                    "fast_default_opt_out hide_full_access_warning hide_gpt5_1_migration_prompt "
                    "hide_rate_limit_model_nudge hide_world_writable_warning",
                    FLAG,
                ),
                "model_migrations": _MAP,
            }
        ),
        "otel": object_of(
            {
                "environment": TEXT,
                "log_user_prompt": FLAG,
                **each("exporter metrics_exporter trace_exporter", _EXPORTER),
                "span_attributes": _MAP,
                "tool_result": _table({"max_bytes": _COUNT}),
                "tracestate": map_of(_MAP),
            }
        ),
        "profiles": map_of(
            object_of(
                {
                    **_CHOICES,
                    **each("model model_provider model_reasoning_effort plan_mode_reasoning_effort service_tier", TEXT),
                    "features": _FEATURES,
                }
            )
        ),
        "browser_use": object_of(
            {"allow_history_access": FLAG, "default_origin_policy": _ORIGIN, "origins": map_of(_ORIGIN)}
        ),
        "computer_use": object_of({"default_app_access": _ACCESS, **each("macos windows", object_of({}))}),
        "features": _FEATURES,
        "history": _table({"max_bytes": _COUNT, "persistence": one_of("save-all none")}),
        "marketplaces": map_of(_table({"source_type": one_of("git local")})),
        "mcp_servers": map_of(_SERVER),
        "memories": object_of(
            {
                **each("dedicated_tools disable_on_external_context generate_memories use_memories", FLAG),
                **each("consolidation_model extract_model", TEXT),
                **each(
                    "max_raw_memories_for_consolidation max_rollout_age_days max_rollouts_per_startup max_unused_days "
                    "min_rate_limit_remaining_percent min_rollout_idle_hours",
                    _WHOLE,
                ),
            }
        ),
        "model_providers": map_of(_PROVIDER),
        "orchestrator": object_of(each("mcp skills", _ENABLED)),
        "plugins": map_of(tolerant(_ENABLED, "list")),
        "projects": map_of(object_of({"trust_level": one_of("trusted untrusted")})),
        "realtime": object_of(
            {
                "transport": one_of("webrtc websocket"),
                "type": one_of("conversational transcription"),
                "version": one_of("v1 v2 v3"),
            }
        ),
        "responses_api_metadata": _MAP,
        "sandbox_workspace_write": _table(
            {**each("exclude_slash_tmp exclude_tmpdir_env_var network_access", FLAG), "writable_roots": TEXTS}
        ),
        "shell_environment_policy": object_of(
            {
                **each("exclude include_only", TEXTS),
                **each("experimental_use_profile ignore_default_excludes", FLAG),
                "filters": map_of(one_of("include exclude")),
                "inherit": one_of("core all none"),
                "set": _MAP,
            }
        ),
        "skills": _table(
            {
                "bundled": tolerant(_ENABLED, "list"),
                "config": list_of(object_of({})),
                "include_instructions": FLAG,
                "max_context_tokens": _POSITIVE,
            }
        ),
        "tool_suggest": _table(each("disabled_tools discoverables", list_of(_SUGGESTED))),  # settings-suggested-tool
        "tools": object_of(each("experimental_request_user_input update_plan", tolerant(_ENABLED, "list"))),
        "tui": object_of(
            {
                "alternate_screen": one_of("auto always never"),
                "notification_condition": one_of("unfocused always"),
                "notification_method": one_of("auto osc9 bel"),
                "notifications": any_of(FLAG, TEXTS),
                "pet_anchor": one_of("composer screen-bottom"),
                "resume_cwd": one_of("current session"),
                "session_picker_view": one_of("comfortable dense"),
                **each("animations raw_output_mode show_tooltips status_line_use_colors vim_mode_default", FLAG),
                **each("status_line terminal_title", TEXTS),
                "keymap": tolerant(object_of({}), "list"),
                "terminal_resize_reflow_max_rows": _COUNT,
                **each("pet theme", TEXT),
            }
        ),
        "windows": object_of({"sandbox": one_of("elevated unelevated mxc")}),
    }
)

_NOT_OF_A_PROJECT = each(
    "apps_mcp_product_sku chatgpt_base_url experimental_realtime_webrtc_call_base_url "
    "experimental_realtime_ws_base_url "
    "model_provider model_providers notify openai_base_url otel profile profiles responses_api_metadata",
    ANYTHING,
)
PROJECT_SETTINGS = object_of({**SETTINGS.members, **_NOT_OF_A_PROJECT})
"""In the file of a project it does not read settings that lead elsewhere."""
