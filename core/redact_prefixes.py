"""The tokens that begin with a word of their maker's: one row each, as their documentation or their look has it."""

from __future__ import annotations

# kind, class of the characters that follow, how many at least, and the beginnings. A `!` after the number means that
# the token ends there; a `*` after a beginning that it tells enough to stand in the middle of a word.
PREFIXES = """
anthropic-key       s 16   sk-ant-*
openai-key          s 16   sk-proj- sk-svcacct- sk-service- sk-admin- sk-None-
openrouter-key      h 32   sk-or-v1-*
langfuse-key        i 30   sk-lf-
helicone-key        i 20   sk-helicone-
cerebras-key        l 40   csk-
elevenlabs-key      h 40   sk_
groq-key            w 32   gsk_*
perplexity-key      w 32   pplx-*
xai-key             w 60   xai-
nvidia-key          s 40   nvapi-*
hugging-face-token  w 30   hf_ api_org_
replicate-token     w 30   r8_
tavily-key          i 20   tvly-
together-key        s 40   tgp_v1_
jina-key            w 40   jina_
pinecone-key        o 40   pcsk_
firecrawl-key       h 32!  fc-
cursor-key          h 64!  key_
warp-key            h 64   wk-1.
copilot-token       h 64   8kp=1:
e2b-key             h 40!  e2b_
browserbase-key     s 24   bb_live_
agno-key            s 30   ag-
runpod-key          w 36   rpa_
roboflow-key        w 20!  rf_
github-token        w 30   ghp_* gho_* ghu_* ghs_* ghr_*
github-token        o 36   github_pat_*
gitlab-token        p 18   glpat- glrt- gldt- glptt- glcbt- glft- glimt- glagent- glsoat- gloas- glffct- glrtr- glwt-
gitlab-token        p 18   GR1348941
atlassian-token     e 60   ATATT3 ATCTT3
bitbucket-token     w 32!  ATBB
npm-token           w 36   npm_*
pypi-token          s 50   pypi-AgE*
gem-token           h 48   rubygems_*
crates-token        w 32!  cio
nuget-key           l 43!  oy2
clojars-token       h 60   CLOJARS_*
artifactory-key     w 60   AKCp
artifactory-token   w 59!  cmVmd
buildkite-token     h 40   bkua_ bkaj_
sonar-token         h 40   squ_ sqp_ sqa_
drone-token         w 32   dt_
dependency-track    w 32   odt_
snyk-token          s 36   snyk_uat. snyk_sat.
socket-token        s 40   sktsec_
aws-session-token   b 80   IQoJb3JpZ2lu FwoGZXIvYXdz
aws-bedrock-key     b 60   ABSKQmVkcm9ja
aws-appsync-key     l 26!  da2-
google-api-key      s 35   AIza
google-oauth-secret s 20   GOCSPX-*
google-oauth-token  s 30   ya29. 1//0
digitalocean-token  h 64   dop_v1_* doo_v1_* dor_v1_*
heroku-key          s 36   HRKU-
netlify-token       w 36   nfp_ nfc_ nfo_ nfu_ nfb_
vercel-token        w 24   vcp_ vci_ vca_ vcr_ vck_
fly-token           f 40   fm2_ fm1r_ fm1a_ fo1_
render-key          w 24   rnd_
scaleway-key        h 32   scw_
exoscale-key        l 40   exo_
supabase-key        s 20   sbp_ sb_secret_
neon-key            l 40   napi_
aiven-password      s 15   AVNS_
cockroach-key       o 36   CCDB1_
mongodb-key         s 30   mdb_sa_sk_
vault-token         v 24   hvs. hvb. hvr.
pulumi-token        h 40   pul-
databricks-token    h 32   dapi dose dkea
ngrok-key           w 40   ngrok_
alibaba-key         w 12   LTAI
tencent-key         w 32!  AKID
volcengine-key      e 40   AKLT
yandex-token        s 40   y0_ y1_ y2_ y3_
infracost-key       w 32   ico-
openshift-token     s 43   sha256~
stripe-key          w 10   sk_live_ sk_test_ rk_live_ rk_test_ sk_prod_ rk_prod_
stripe-webhook-secret b 24 whsec_*
flutterwave-key     h 12   FLWSECK_TEST- FLWSECK-
razorpay-key        w 14   rzp_live_ rzp_test_
mailgun-key         h 32!  key- pubkey-
mailersend-key      h 60   mlsn.
grafana-token       b 32   glc_*
new-relic-key       s 20   NRAK- NRII- NRJS- NRIQ- NRRA-
sentry-token        h 64   sntryu_*
sentry-token        a 60   sntrys_*
honeycomb-key       w 50   hcaik_ hcalk_ hcamk_ hcxik_
posthog-key         w 40   phx_ phc_ phs_
segment-token       o 40   sgp_
sumologic-key       w 14!  suMO
shopify-token       x 32   shpat_* shpca_* shppa_* shpss_* shptka_*
notion-token        w 40   ntn_
linear-token        w 32   lin_api_* lin_oauth_*
figma-token         s 38   figd_ figo_ figu_
adobe-secret        l 32   p8e-
easypost-key        w 54   EZAK EZTK
readme-key          l 70   rdme_
prefect-key         w 36   pnu_ pnb_
typeform-token      p 40   tfp_
scalingo-token      s 48   tk-us-
frameio-token       e 64   fio-u-
contentful-token    s 40   CFPAT-
age-key             u 50   AGE-SECRET-KEY-1*
octopus-key         u 25   API-
defined-token       e 26   dnkey-
meraki-key          h 40   meraki_
inngest-key         h 40   signkey-prod- signkey-test-
facebook-token      w 30   EAACEdEose0cBA* IGQV IGQW
wakatime-key        i 30   waka_
twitter-token       t 80   AAAAAAAAAAAAAAAAAAAAA
trello-token        w 60   ATTA
dropbox-token       s 60   sl.u.
pypi-proxy          h 40   pckg_
zuplo-key           o 36   zpka_
cal-key             h 32   cal_live_ cal_
mergify-key         w 30   mergify_
onesignal-key       l 60   os_v2_app_
tines-key           s 40   sec-c-
feishu-token        s 30   t-g1 u-g1
"""

CLASSES = {
    "a": r"[A-Za-z0-9+/=_\-]",
    "b": r"[A-Za-z0-9+/=]",
    "e": r"[A-Za-z0-9_\-=]",
    "f": r"[A-Za-z0-9+/=,_\-]",
    "h": r"[a-f0-9]",
    "i": r"[A-Za-z0-9\-]",
    "l": r"[a-z0-9]",
    "o": r"[A-Za-z0-9_]",
    "p": r"[A-Za-z0-9_\-.=]",
    "s": r"[A-Za-z0-9_\-]",
    "t": r"[A-Za-z0-9%]",
    "u": r"[A-Z0-9]",
    "v": r"[A-Za-z0-9_\-.]",
    "w": r"[A-Za-z0-9]",
    "x": r"[a-fA-F0-9]",
}
NO_MORE = r"(?![A-Za-z0-9])"


def rows() -> list[tuple[str, str, str, bool]]:
    """(kind, beginning, pattern of the rest, whether it may not stand within a word)"""
    found: list[tuple[str, str, str, bool]] = []
    for line in PREFIXES.strip().splitlines():
        kind, letter, least, *beginnings = line.split()
        ends = least.endswith("!")
        tail = f"{CLASSES[letter]}{{{least.rstrip('!')}{'' if ends else ','}}}{NO_MORE if ends else ''}"
        found += [(kind, each.rstrip("*"), tail, not each.endswith("*")) for each in beginnings]
    return found
